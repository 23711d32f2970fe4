#!/bin/sh
# Runs a command of zatgate with the settings, the secrets and the user of the service. Installed as /usr/local/bin/zatgate.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"

# Lines as systemd reads them: a value may have double quotes around it.
while IFS= read -r line || [ -n "$line" ]; do
  case $line in '' | '#'*) continue ;; esac
  value=${line#*=}
  case $value in '"'*'"') value=${value#?} value=${value%?} ;; esac
  export "${line%%=*}=$value"
done </etc/zatgate/zatgate.env

ENCRYPTION_KEY=$(cat /etc/zatgate/encryption_key) SMTP_URL=$(cat /etc/zatgate/smtp_url) DATA_DIR=/var/lib/zatgate
export ENCRYPTION_KEY SMTP_URL DATA_DIR
cd "$DATA_DIR"
exec setpriv --reuid=zatgate --regid=zatgate --init-groups /usr/bin/node /opt/zatgate/bin/main.ts "$@"
