import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CODINGS } from '../http/accept-encoding';
import type { Coding } from '../http/accept-encoding';
import { entityTagOf } from '../http/entity-tag';

/** Above it replies grow smaller by little, and making them takes long. */
const BROTLI_QUALITY = 5;

const COMMA = Buffer.from(',');

/** A reply that is made once and sent many times. */
export interface CachedReply {
  body: Buffer;
  etag: string;
}

const compressors: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body),
};

/** One state of the model list in every coding in which it is sent. Each coding has a tag of its own: other bytes, other tag. */
export class CodedModelList {
  private readonly coded = new Map<Coding, CachedReply>();

  private constructor(private readonly plain: CachedReply) {}

  /** @param cards each model as JSON, in the order of the list */
  static of(cards: readonly Buffer[]): CodedModelList {
    const parts: Buffer[] = [Buffer.from('{"object":"list","data":[')];
    for (const [index, card] of cards.entries()) {
      if (index > 0) parts.push(COMMA);
      parts.push(card);
    }
    parts.push(Buffer.from(']}'));
    const body = Buffer.concat(parts);
    return new CodedModelList({ body, etag: entityTagOf(body) });
  }

  /** Compresses beside the event loop; until it has, and where it fails, the list is sent as it is. */
  async compress(): Promise<void> {
    const { body, etag } = this.plain;
    await Promise.all(
      CODINGS.map(async (coding) => {
        const compressed = await compressors[coding](body);
        this.coded.set(coding, { body: compressed, etag: `${etag.slice(0, -1)}-${coding}"` });
      }),
    );
  }

  /** @returns with the coding it has, which may be none though one was asked for */
  in(coding: Coding | undefined): CachedReply & { coding?: Coding } {
    const coded = coding && this.coded.get(coding);
    return coded ? { ...coded, coding } : this.plain;
  }
}
