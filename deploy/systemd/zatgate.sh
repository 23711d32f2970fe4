#!/bin/sh
# Runs a command of zatgate with the settings, the secrets and the user of the service. Installed as /usr/local/bin/zatgate.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"

ENCRYPTION_KEY=$(cat /etc/zatgate/encryption_key) SMTP_URL=$(cat /etc/zatgate/smtp_url) DATA_DIR=/var/lib/zatgate
export ENCRYPTION_KEY SMTP_URL DATA_DIR
cd "$DATA_DIR"
exec /usr/bin/node --disable-warning=ExperimentalWarning /opt/zatgate/deploy/systemd/environment.ts /etc/zatgate/zatgate.env \
  setpriv --reuid=zatgate --regid=zatgate --init-groups /usr/bin/node /opt/zatgate/bin/main.ts "$@"
