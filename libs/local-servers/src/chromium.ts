import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';
import { findOnPath, workspaceRoot } from './binaries';
import { untar } from './untar';

/** A browser to be launched with this and no other environment. */
interface ChromiumBinary {
  executablePath: string;
  env: Record<string, string>;
}

const PACKAGE = '@sparticuz/chromium';
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * A Chromium: the one that `CHROMIUM` names, else the one of the npm package (Linux x64), else an installed one. The package's
 * brings its own libraries and fonts, and needs nothing of the system that Node does not need; its own loader wants a
 * newer Node than this project, so its files are unpacked here.
 * @throws Error naming the ways to provide one when there is none.
 */
export async function chromiumBinary(): Promise<ChromiumBinary> {
  const named = process.env.CHROMIUM;
  if (named) return installed(named);
  if (process.platform === 'linux' && process.arch === 'x64') return packaged();
  const found = COMMANDS.map(findOnPath).find(Boolean) ?? APPLICATIONS.find((path) => existsSync(path));
  if (found) return installed(found);
  throw new Error(
    `No Chromium for ${process.platform}/${process.arch}: put chromium or google-chrome on the PATH, or name one with CHROMIUM.`,
  );
}

function installed(executablePath: string): ChromiumBinary {
  return { executablePath, env: environmentOf({ ...process.env }) };
}

async function packaged(): Promise<ChromiumBinary> {
  const source = join(workspaceRoot, 'node_modules', PACKAGE);
  if (!existsSync(source)) throw new Error(`${PACKAGE} is not installed: run npm install.`);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const home = join(workspaceRoot, '.local', `chromium-${version}`);
  if (!existsSync(home)) await unpack(join(source, 'bin'), home);
  const fontsHome = join(home, 'fonts');
  return {
    executablePath: join(home, 'chromium'),
    env: environmentOf({ LD_LIBRARY_PATH: join(home, 'al2023/lib'), FONTCONFIG_PATH: fontsHome }),
  };
}

/** Whole or not at all: into a folder of its own first, so that nobody sees half of it and two at once do no harm. */
async function unpack(source: string, home: string): Promise<void> {
  const draft = `${home}.${randomUUID()}`;
  mkdirSync(draft, { recursive: true });
  try {
    for (const name of ['al2023', 'fonts']) {
      untar(brotliDecompressSync(readFileSync(join(source, `${name}.tar.br`))), join(draft, name));
    }
    writeFileSync(join(draft, 'fonts/fonts.conf'), fontsConfiguration(join(home, 'fonts')));
    const binary = createWriteStream(join(draft, 'chromium'), { mode: 0o755 });
    await pipeline(createReadStream(join(source, 'chromium.br')), createBrotliDecompress(), binary);
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Somebody else was faster.
    if (!existsSync(join(home, 'chromium'))) throw error;
  }
}

const escaped = (path: string) => path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The package's typeface first, so that text looks alike everywhere; what the system has besides serves for other scripts. */
function fontsConfiguration(folder: string): string {
  const preferred = (family: string, fonts: string[]) =>
    `<alias><family>${family}</family><prefer>${fonts.map((font) => `<family>${font}</family>`).join('')}</prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${escaped(join(folder, 'fonts'))}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${escaped(join(folder, 'cache'))}</cachedir>
  ${preferred('sans-serif', ['Open Sans'])}
  ${preferred('serif', ['Open Sans'])}
  ${preferred('monospace', ['DejaVu Sans Mono', 'Liberation Mono', 'Open Sans'])}
</fontconfig>
`;
}

/** Chromium writes below its home, and would show times as the machine tells them. */
function environmentOf(more: Record<string, string | undefined>): Record<string, string> {
  const all = Object.entries(more).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(all), HOME: tmpdir(), TZ: 'UTC' };
}
