import type { IncomingHttpHeaders } from 'node:http';
import { Deviation } from '../deviation';

/** A request as a case words it. */
export interface Question {
  method?: string;
  /** Below the base URL, sent as it stands: `/models/svc%2Fdemo%401`. */
  path: string;
  headers?: Record<string, string>;
  /** The whole `Authorization` header; null sends none, undefined the key of the run. */
  authorization?: string | null;
  /** An object is sent as JSON, text and bytes as they are. */
  body?: object | string | Uint8Array;
  /** Announces a body of this many bytes, and sends only what `body` has. */
  announcedBytes?: number;
  /** Hangs up once the reply's body holds this; what came until then is the reply. */
  hangUpAt?: RegExp;
}

/** A request and its reply. */
export class Exchange {
  constructor(
    readonly question: Question & { method: string; url: string },
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly bytes: Buffer,
  ) {}

  get text(): string {
    return this.bytes.toString('utf8');
  }

  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** @throws Deviation when the body is not JSON */
  json(): unknown {
    try {
      return JSON.parse(this.text) as unknown;
    } catch {
      throw new Deviation('the body is not JSON');
    }
  }
}
