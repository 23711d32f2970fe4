#!/bin/sh
# Generates src/lightwallet/gen from the .proto beside it. Needs protoc (Debian: protobuf-compiler).
# erasable_syntax: Node runs these files with type stripping, which refuses `enum`.
set -eu
cd "$(dirname "$0")/.."
proto=src/lightwallet
protoc --plugin=protoc-gen-es=../../node_modules/.bin/protoc-gen-es \
  --proto_path="$proto" --es_out="$proto/gen" \
  --es_opt=target=ts,import_extension=ts,erasable_syntax=true \
  "$proto/compact_tx_streamer.proto"
