import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { BoundedMap } from '@svc/collections';
import { InvalidReplyError } from './invalid-reply.error';
import { SchemaThread } from './schema-thread';
import { CrowdedOutError, Turns } from './turns';

/** Holds what one reply brings against its client's schemas. */
export interface ReplySchemas {
  /**
   * @param schema a client's JSON Schema, of which the gateway said that it compiles; the same object for a request's attempts
   * @throws InvalidReplyError `schema_too_expensive` when the answer did not come within the limits, `schema_unusable` when none can, whatever
   *   the value
   * @throws CrowdedOutError when others took so long that its turn did not come, or too little was done in it
   */
  matches(schema: object, value: unknown): Promise<boolean>;
}

interface ReplyTime {
  /** Of the processor's time, its values took so far. */
  matchMs: number;
}

/** A schema as JSON, made once however many calls and attempts it is for. */
interface SchemaText {
  text: string;
  digest: string;
}

const MAX_UNUSABLE = 256;
/** Of the processor's time, for all that one reply brings: it may have many calls. */
const REPLY_LIMIT_MS = 2_000;
/** How long a reply waits for its turns, and for the schemas that it meets first. Clients have waited longer for a model's first word. */
const PATIENCE_MS = 30_000;
/** A machine that is less busy by then may find a schema usable. */
const UNUSABLE_FOR_MS = 600_000;

/**
 * Matches values against clients' JSON Schemas, in a thread of its own: what a client's schema takes holds up nobody's stream.
 * Wallets take turns there. A schema that cannot be compiled costs its time once for all that come with the same; a reply that takes too
 * long says nothing of the next, which another provider has written.
 */
@Injectable()
export class SchemaChecks implements OnApplicationShutdown {
  private readonly thread = new SchemaThread();
  private readonly turns = new Turns(PATIENCE_MS);
  private readonly texts = new WeakMap<object, SchemaText>();
  /** By digest: until when a schema counts as unusable. */
  private readonly unusable = new BoundedMap<string, number>(MAX_UNUSABLE);

  async onApplicationShutdown(): Promise<void> {
    await this.thread.close();
  }

  /**
   * For one reply.
   * @param wallet whose turn it takes; unless told its own
   * @param isWanted whether anybody still waits for that reply
   */
  of(wallet: string | undefined, isWanted: () => boolean): ReplySchemas {
    const reply: ReplyTime = { matchMs: 0 };
    let untilMs: number | undefined;
    return {
      matches: async (schema, value) => {
        // It may have been written for long before the first of it is looked at.
        untilMs ??= performance.now() + PATIENCE_MS;
        await this.turns.take(wallet ?? reply, isWanted);
        try {
          if (performance.now() >= untilMs) throw new CrowdedOutError();
          return await this.matches(schema, value, reply);
        } finally {
          this.turns.pass();
        }
      },
    };
  }

  private async matches(schema: object, value: unknown, reply: ReplyTime): Promise<boolean> {
    if (reply.matchMs >= REPLY_LIMIT_MS) throw new InvalidReplyError('schema_too_expensive');
    const { text, digest } = this.textOf(schema);
    const unusableUntilMs = this.unusable.get(digest) ?? -Infinity;
    if (performance.now() < unusableUntilMs) throw new InvalidReplyError('schema_unusable');
    const { verdict, matchMs } = await this.thread.ask(text, value);
    reply.matchMs += matchMs;
    if (typeof verdict === 'boolean') return verdict;
    if (verdict === 'stood_still') throw new CrowdedOutError();
    if (verdict === 'schema_unusable') this.unusable.set(digest, performance.now() + UNUSABLE_FOR_MS);
    throw new InvalidReplyError(verdict);
  }

  private textOf(schema: object): SchemaText {
    const made = this.texts.get(schema) ?? schemaText(schema);
    this.texts.set(schema, made);
    return made;
  }
}

function schemaText(schema: object): SchemaText {
  const text = JSON.stringify(schema);
  return { text, digest: createHash('sha256').update(text).digest('base64') };
}
