#!/bin/sh
# Generates src/lightwallet/gen, or the folder given, from the .proto beside it. Needs protoc (Debian: protobuf-compiler).
# erasable_syntax: Node runs these files with type stripping, which refuses `enum`.
set -eu
package=$(cd "$(dirname "$0")/.." && pwd)
proto=$package/src/lightwallet
protoc --plugin=protoc-gen-es="$package/../../node_modules/.bin/protoc-gen-es" \
  --proto_path="$proto" --es_out="${1:-$proto/gen}" \
  --es_opt=target=ts,import_extension=ts,erasable_syntax=true \
  "$proto/compact_tx_streamer.proto"
