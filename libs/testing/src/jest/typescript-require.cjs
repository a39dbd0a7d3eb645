/** Lets `require` take the project's TypeScript, as jest.config.mjs has it for specs. */
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const root = join(module.path, '../../../..');
const config = JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8'));
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
  const [, lib] = /^@svc\/(.*)$/.exec(request) ?? [];
  const source = lib && join(root, 'libs', lib, 'src/index.ts');
  return resolve.call(this, source && existsSync(source) ? source : request, ...rest);
};

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    ...config,
    filename,
    swcrc: false,
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
