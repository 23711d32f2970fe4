#!/usr/bin/env bash
# Builds the image without Docker and runs it: deploy/test/image.sh NODE_FOLDER [CACHE_FOLDER]
# As root on Debian. Each stage of the Dockerfile becomes a debootstrap root with Node in it; the script runs the steps of
# the Dockerfile there with chroot. Then it starts the sandbox as the image's user on a read-only root, waits for the
# health check of the Dockerfile, and creates an invoice.
set -euo pipefail
readonly checkout=$(cd "$(dirname "$0")/../.." && pwd) node=$(realpath "$1") cache=${2:-/var/cache/zatgate-image}
readonly dockerfile=$checkout/deploy/docker/Dockerfile work=$(mktemp -d)
service=

cleanup() {
  [[ -z $service ]] || kill "$service" 2>/dev/null || true
  [[ -z $service ]] || wait "$service" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

# Makes the contents of the base image node:…-bookworm-slim: Debian, Node with npm, and the user node.
make_base() {
  [[ -e $cache/complete ]] && return
  rm -rf "$cache" && mkdir -p "$cache/debs"
  debootstrap --variant=minbase --cache-dir="$cache/debs" bookworm "$cache/root" http://deb.debian.org/debian >/dev/null
  chroot "$cache/root" useradd --create-home --user-group --uid 1000 node
  rm -rf "$cache/root/var/cache/apt/archives" "$cache/debs"
  touch "$cache/complete"
}

# The npm of this machine, because the packages of Node have none.
install_node() {
  local root=$1 npm
  npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
  install -D "$node/bin/node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -r "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
}

make_base
stage='' root='' directory=/ user=root
declare -A roots=() environment=()
declare -a entrypoint=() command=() health=()

json_words() { node -e 'for (const word of JSON.parse(process.argv[1])) console.log(word)' "$1"; }

# Runs one instruction of the Dockerfile.
step() {
  local keyword=$1 rest=$2 from='' word
  local -a words files
  case $keyword in
    FROM)
      read -ra words <<<"${rest#--platform=* }"
      [[ ${words[0]} == node:24.+([0-9.])-bookworm-slim@sha256:+([0-9a-f]) ]] || { echo "unknown base image ${words[0]}" >&2; return 1; }
      stage=${words[2]:-final} root=$work/${words[2]:-final} directory=/ user=root
      cp -a "$cache/root" "$root" && install_node "$root"
      roots[$stage]=$root
      ;;
    WORKDIR) directory=$rest && mkdir -p "$root$directory" ;;
    USER) user=$rest ;;
    COPY)
      [[ $rest != --from=* ]] || { from=${rest%% *} from=${from#--from=} rest=${rest#* }; }
      read -ra words <<<"$rest"
      local target=${words[-1]} source=$checkout
      [[ -z $from ]] || source=${roots[$from]}
      [[ $target == /* ]] || target=$directory/$target
      for word in "${words[@]:0:${#words[@]}-1}"; do
        if [[ -d $source/$word ]]; then mkdir -p "$root$target" && cp -rT "$source/$word" "$root$target"
        else
          readarray -t files < <(compgen -G "$source/$word")
          mkdir -p "$root$target" && cp "${files[@]}" "$root$target/"
        fi
      done
      ;;
    RUN) chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root "${registry[@]}" sh -ec "cd '$directory' && $rest" ;;
    ENV) for word in $rest; do environment[${word%%=*}]=${word#*=}; done ;;
    ENTRYPOINT) readarray -t entrypoint < <(json_words "$rest") ;;
    CMD) readarray -t command < <(json_words "$rest") ;;
    HEALTHCHECK) readarray -t health < <(json_words "[${rest#*[}") ;;
    VOLUME | EXPOSE | STOPSIGNAL | LABEL) ;;
    *) echo "unknown instruction $keyword" >&2; return 1 ;;
  esac
}

# npm in the root uses the registry of this machine.
registry=("npm_config_registry=$(npm config get registry)")
for file in "${NODE_EXTRA_CA_CERTS:-}" /etc/ssl/certs/ca-certificates.crt; do
  [[ -f $file ]] || continue
  mkdir -p "$cache/root/etc/ssl/certs" && cp "$file" "$cache/root/etc/ssl/certs/ca-certificates.crt"
  registry+=(NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt)
  break
done
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [[ -z ${!name:-} ]] || registry+=("$name=${!name}")
done
cp /etc/resolv.conf /etc/hosts "$cache/root/etc/"

while IFS= read -r line; do
  [[ -z $line || $line == '#'* ]] && continue
  echo "  $line"
  step "${line%% *}" "${line#* }"
done < <(sed -e ':join' -e '/\\$/{N;s/ *\\\n */ /;b join' -e '}' "$dockerfile")

[[ $user == 1000:1000 ]] || { echo "the image runs as $user" >&2; exit 1; }
[[ ! -e $root/usr/local/bin/npm && ! -d $root/usr/local/lib/node_modules ]] || { echo 'the image contains npm' >&2; exit 1; }
printf 'image: %s of Debian, Node and zatgate; zatgate %s\n' "$(du -sh "$root" | cut -f 1)" "$(du -sh "$root/app" | cut -f 1)"

variables=("PATH=/usr/local/bin:/usr/bin:/bin" "HOME=/home/node" PORT=0 SANDBOX_PORT=0)
for name in "${!environment[@]}"; do
  [[ $name == PORT ]] || variables+=("$name=${environment[$name]}")
done
readonly health_port=$((20000 + RANDOM % 10000))
variables+=("HEALTH_PORT=$health_port")
in_container=(setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all env -i "${variables[@]}")

# In a mount namespace of its own: a read-only root, with the volume and /tmp writable.
unshare --mount --propagation private -- bash -euc '
  root=$1 directory=$2 && shift 2
  mount --bind "$root" "$root" && mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/tmp" && mount -t tmpfs -o uid=1000,gid=1000,mode=0700 tmpfs "$root/data"
  mount -o remount,bind,ro "$root"
  exec chroot "$root" sh -euc "cd \"\$1\" && shift && exec \"\$@\"" sh "$directory" "$@"
' bash "$root" "$directory" "${in_container[@]}" sh -c '! touch /app/written 2>/dev/null && exec "$@"' sh \
  "${entrypoint[@]}" "${command[@]}" --json >"$work/output" 2>"$work/log" &
service=$!

check() { chroot "$root" "${in_container[@]}" "${health[@]:1}" 2>/dev/null; }
[[ ${health[0]} == node ]] && health=(unused "${health[@]}")
for _ in $(seq 60); do
  [[ -s $work/output ]] && check && break
  kill -0 "$service" || { cat "$work/log" >&2; exit 1; }
  sleep 0.5
done
check || { echo 'the health check of the image fails' >&2; cat "$work/log" >&2; exit 1; }
"$node/bin/node" -e '
  const { api_url: url, api_key } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" }
  fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/v1/invoices`, { method: "POST", headers, body: "{\"amount_zat\":150000}" })
    .then(async response => {
      const invoice = await response.json()
      if (invoice.status !== "pending") throw new Error(JSON.stringify(invoice))
      console.log(`an invoice was created: ${response.status} ${invoice.status}`)
    })
' "$work/output"
kill "$service" && wait "$service" || { echo "the service stopped with status $?" >&2; cat "$work/log" >&2; exit 1; }
service=
echo 'the image runs on a read-only root, without privileges, and stops cleanly'
