#!/bin/sh
# Copies what a service needs at run time, besides node_modules, from the built workspace into a folder.
# usage: deploy/compose/assemble.sh FOLDER   (from the repository's root)
set -eu
target=${1:?usage: assemble.sh FOLDER}

mkdir -p "$target/prisma" "$target/deploy/compose"
cp package.json LICENSE* "$target/" 2>/dev/null || cp package.json "$target/"
for project in apps/* libs/*; do
  case $project in
    apps/conformance | apps/e2e | apps/local-stack | libs/local-servers | libs/testing) continue ;;
  esac
  mkdir -p "$target/$project"
  cp -R "$project/package.json" "$project/dist" "$target/$project/"
  if [ -d "$project/bin" ]; then cp -R "$project/bin" "$target/$project/"; fi
done
cp -R prisma/migrations "$target/prisma/"
cp -R deploy/seed "$target/deploy/"
cp deploy/compose/healthcheck.mjs "$target/deploy/compose/"
