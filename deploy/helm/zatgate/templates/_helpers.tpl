{{- define "zatgate.labels" -}}
app.kubernetes.io/name: zatgate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "zatgate.selector" -}}
app.kubernetes.io/name: zatgate
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- /* A value as text. Helm would write the number 1000000 as 1e+06. */ -}}
{{- define "zatgate.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if or (kindIs "map" .) (kindIs "slice" .) }}{{ fail "a setting is a text, a number, true or false" }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{- define "zatgate.image" -}}
{{ .Values.image.repository }}:{{ include "zatgate.text" (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{- define "zatgate.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "zatgate.selector" . | nindent 4 }}
  annotations:
    checksum/settings: {{ $root.Values.settings | toJson | sha256sum }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 30
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "zatgate.selector" . | nindent 10 }}
  containers:
    - name: zatgate
      image: {{ include "zatgate.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - name: ROLES
          value: {{ .role }}
        {{- range $name, $value := $root.Values.settings }}
        - name: {{ $name }}
          value: {{ include "zatgate.text" (required (printf "settings.%s is required" $name) $value) | quote }}
        {{- end }}
        {{- range $root.Values.secretKeys }}
        - name: {{ . }}_FILE
          value: /run/secrets/zatgate/{{ . }}
        {{- end }}
      ports:
        {{- if eq .role "api" }}
        - { name: http, containerPort: 3000 }
        {{- end }}
        - { name: health, containerPort: 3001 }
      startupProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 2
        failureThreshold: {{ div (int $root.Values.startupSeconds) 2 }}
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 5
        timeoutSeconds: 5
      {{- if eq .role "api" }}
      lifecycle:
        # Requests arrive until the endpoints are updated.
        preStop: { exec: { command: [node, -e, "setTimeout(() => {}, 5000)"] } }
      {{- end }}
      resources: {{ toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/zatgate, readOnly: true }
  volumes:
    - { name: data, emptyDir: { sizeLimit: 64Mi } }
    - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
    - name: secrets
      secret:
        secretName: {{ include "zatgate.text" $root.Values.existingSecret | quote }}
        defaultMode: 0440
        items:
          {{- range $root.Values.secretKeys }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
{{- end }}
