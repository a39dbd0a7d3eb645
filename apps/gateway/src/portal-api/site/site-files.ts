import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { codingFor } from '../../http/accept-encoding';
import type { Coding } from '../../http/accept-encoding';
import { entityTagOf } from '../../http/entity-tag';
import type { Representation } from '../../http/representation';

const YEAR_SECONDS = 31_536_000;
const FOREVER = `public, max-age=${YEAR_SECONDS}, immutable`;
/** A file of the page or one of its assets: nothing that leads elsewhere, and nothing hidden. */
const FILE = /^(?:assets\/)?[\w-][\w.-]*$/;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** What the build calls a file's compressed copies. */
const SUFFIX: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** A file as it is on the disk. */
interface SiteFile {
  body: Buffer;
  etag: string;
}

/** A file that was read, by what tells that it was built anew since. */
interface ReadFile {
  mtimeMs: number;
  size: number;
  file: Promise<SiteFile>;
}

/** The files of a built page. Each is read once, however many replies hold it: a client that reads none of them is sent no copies. */
export class SiteFiles {
  /** By path; only what is there, so it grows no longer than the build is. */
  private readonly files = new Map<string, ReadFile>();

  constructor(private readonly root: string) {}

  /**
   * A file in the form that the client takes, if the build left it in that form; names of assets hold a hash of what is in them, so they
   * are kept for good.
   * @param path below the page, without a slash before it
   * @param acceptEncoding the request's header
   */
  async find(path: string, acceptEncoding: string | undefined): Promise<Representation | undefined> {
    const contentType = TYPES[extname(path)];
    if (!FILE.test(path) || contentType === undefined) return undefined;
    const coding = codingFor(acceptEncoding);
    const coded = coding && (await this.read(path + SUFFIX[coding]));
    const file = coded ?? (await this.read(path));
    if (!file) return undefined;
    const cacheControl = path.startsWith('assets/') ? FOREVER : 'public, no-cache';
    const contentEncoding = coded && coding;
    return {
      ...file,
      cacheControl,
      contentEncoding,
      contentType,
      vary: 'accept-encoding',
    };
  }

  /** The page itself. */
  async page(): Promise<string | undefined> {
    return (await this.read('index.html'))?.body.toString('utf8');
  }

  private async read(path: string): Promise<SiteFile | undefined> {
    const full = join(this.root, path);
    try {
      // A page that was built anew is seen without a restart.
      const { mtimeMs, size } = await stat(full);
      const known = this.files.get(path);
      if (known?.mtimeMs === mtimeMs && known.size === size) return await known.file;
      const file = readSiteFile(full);
      this.files.set(path, { mtimeMs, size, file });
      return await file;
    } catch {
      // Whatever keeps a file from being read, it is not there for the visitor.
      this.files.delete(path);
      return undefined;
    }
  }
}

async function readSiteFile(full: string): Promise<SiteFile> {
  const body = await readFile(full);
  return { body, etag: entityTagOf(body) };
}
