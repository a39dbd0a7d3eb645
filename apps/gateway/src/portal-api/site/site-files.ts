import { readFile } from 'node:fs/promises';
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

/** The files of a built page. */
export class SiteFiles {
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
    const body = coded ?? (await this.read(path));
    if (!body) return undefined;
    const cacheControl = path.startsWith('assets/') ? FOREVER : 'public, no-cache';
    const contentEncoding = coded && coding;
    return {
      body,
      etag: entityTagOf(body),
      cacheControl,
      contentEncoding,
      contentType,
      vary: 'accept-encoding',
    };
  }

  /** The page itself. */
  async page(): Promise<string | undefined> {
    return (await this.read('index.html'))?.toString('utf8');
  }

  private async read(path: string): Promise<Buffer | undefined> {
    // Whatever keeps a file from being read, it is not there for the visitor.
    return readFile(join(this.root, path)).catch(() => undefined);
  }
}
