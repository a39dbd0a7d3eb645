import { Injectable } from '@nestjs/common';
import { RESPONSE_PART_BYTES } from '@svc/contracts';
import type {
  FindIdempotentRequest,
  FoundIdempotent,
  ReadResponseRequest,
  ResponsePart,
  StoreResponseRequest,
  StoredResponse,
} from '@svc/contracts';
import { accountSuspended, conflict, invalidApiKey, invalidRequest, notFound } from '@svc/errors';
import { idempotencyMismatch } from './idempotency-mismatch';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyStore } from './idempotency.store';
import { StoredBytes } from './stored-bytes.service';

/** What stands under idempotency keys, and the replies that are kept for them: encrypted, and not under a key of ours. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly metrics: IdempotencyMetrics,
    private readonly stored: StoredBytes,
  ) {}

  /** @throws SvcError invalid_api_key, account_suspended; invalid_request (422) when another request stands there */
  async find({ keyHash, idempotency }: FindIdempotentRequest): Promise<FoundIdempotent> {
    const key = await this.store.find(keyHash, idempotency.keyHash);
    if (!key) throw invalidApiKey();
    const { wallet, request } = key;
    if (key.suspended) throw accountSuspended();
    if (!request) return { found: null };
    const { fingerprint, holdId, completed, amount } = request;
    if (fingerprint !== idempotency.fingerprint) throw idempotencyMismatch();
    return { found: { state: completed ? 'completed' : 'running', holdId, wallet, amount } };
  }

  /**
   * @returns that nothing of the reply is kept, where there is no room for it
   * @throws SvcError invalid_request: 400 the part is too large, 409 no request with an idempotency key runs there
   */
  async storePart({ wallet, holdId, part, bytes }: StoreResponseRequest): Promise<StoredResponse> {
    const content = Buffer.from(bytes, 'base64');
    if (content.length > RESPONSE_PART_BYTES)
      throw invalidRequest(
        `The part is larger than ${RESPONSE_PART_BYTES} bytes; send the reply in smaller ones.`,
        'bytes',
      );
    const room = { isFull: await this.stored.isFull(), mostOfWallet: this.stored.mostOfWallet };
    const outcome = await this.store.storePart({ wallet, holdId, part, bytes: content }, room);
    switch (outcome) {
      case 'not_running':
        this.metrics.refused();
        throw conflict('The request runs no more, or has no idempotency key.', 'holdId');
      case 'no_room':
        this.metrics.notKept(room.isFull ? 'full' : 'wallet_full');
        return { part, isKept: false };
      case 'stored':
        this.metrics.stored(content.length);
        this.stored.added(content.length);
        return { part };
    }
  }

  /** @throws SvcError invalid_request (404) */
  async readPart({ wallet, holdId, part }: ReadResponseRequest): Promise<ResponsePart> {
    const found = await this.store.readPart(wallet, holdId, part);
    if (!found) throw notFound('There is no such part of a reply.', 'holdId');
    if (part === 0) this.metrics.replayed();
    return { bytes: Buffer.from(found.bytes).toString('base64'), parts: found.parts };
  }
}
