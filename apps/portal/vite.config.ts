import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mantineStyles } from './scripts/mantine-styles.ts';

/** The gateway that a development server stands before: `npm run dev -w @svc/portal -- http://…` names another one. */
const gateway =
  process.argv.slice(2).find((argument) => argument.startsWith('http')) ?? 'http://127.0.0.1:8080';
const mantine = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));
const mantineList = fileURLToPath(new URL('src/design/mantine-styles.ts', import.meta.url));
const proxied = { target: gateway, changeOrigin: false };

export default defineConfig({
  base: '/portal/',
  plugins: [react(), mantineStyles(mantineList, mantine)],
  // Libraries without Node in them (money, errors, supply-messages) are taken from their sources.
  resolve: {
    alias: [
      {
        find: /^@svc\/(.*)$/,
        replacement: fileURLToPath(new URL('../../libs/$1/src/index.ts', import.meta.url)),
      },
    ],
  },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Pictures as data: URLs would need a wider content security policy.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/portal/api': proxied, '/v1': proxied, '/docs': proxied } },
});
