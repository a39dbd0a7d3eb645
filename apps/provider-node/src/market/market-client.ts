import { setTimeout as pause } from 'node:timers/promises';
import { EVM_ADDRESS } from '@svc/config';
import { retryAfterSeconds } from '@svc/http-client';
import { CommandError } from '../command-line/command-error';
import type {
  CertificationReply,
  EarningsReply,
  OfferReply,
  ProviderReply,
  TermsReply,
} from './market-replies';

const TIMEOUT_MS = 30_000;
const LONGEST_WAIT_SECONDS = 60;
const MOST_ATTEMPTS = 4;

/** The market said no: its error body, and the HTTP status. */
export class MarketRefusal extends CommandError {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly param: string | null,
  ) {
    super(message, 1, { status, code, param });
    this.name = 'MarketRefusal';
  }
}

/** Whether the market does not take what it was sent; what it said may have been put in terms of the file. */
export function isRefusal(error: unknown): error is CommandError {
  if (!(error instanceof CommandError)) return false;
  const { status } = error.details;
  return typeof status === 'number' && status < 500;
}

/** Whether the market may answer if it is asked again: nobody did, or it could not for now. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MarketRefusal) return error.status >= 500 || error.status === 429;
  return error instanceof CommandError;
}

/** A marketplace's HTTP API for providers. Everything it asks may throw MarketRefusal, or CommandError (1) when nobody answers. */
export class MarketClient {
  private readonly base: string;

  /** @param market the gateway's URL, with or without `/v1` */
  constructor(market: string) {
    this.base = market.replace(/\/+$/, '').replace(/\/v1$/, '');
  }

  /** What is asked first: whatever else answers there is found out here. */
  async terms(): Promise<TermsReply> {
    const terms = await this.ask<Partial<TermsReply> | null>('/v1/supply/terms');
    const { domain, limits } = terms ?? {};
    if (!isDomain(domain) || !limits)
      throw new CommandError(`what answers at ${this.base} is no market: it has no terms`);
    return { domain, limits };
  }

  register(body: object): Promise<ProviderReply> {
    return this.ask('/v1/providers', body);
  }

  /** Undefined while the wallet is not registered. */
  async provider(wallet: string): Promise<ProviderReply | undefined> {
    try {
      return await this.ask(`/v1/providers/${wallet}`);
    } catch (error) {
      if (error instanceof MarketRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  submitOffer(body: object): Promise<OfferReply> {
    return this.ask('/v1/offers', body);
  }

  withdrawOffer(offerId: string, body: object): Promise<OfferReply> {
    return this.ask(`/v1/offers/${offerId}/withdraw`, body);
  }

  certification(id: string): Promise<CertificationReply> {
    return this.ask(`/v1/certifications/${id}`);
  }

  /** @param access what `Authorization` says */
  earnings(wallet: string, query: Readonly<Record<string, string>>, access: string): Promise<EarningsReply> {
    const path = `/v1/providers/${wallet}/earnings?${new URLSearchParams(query).toString()}`;
    return this.ask(path, undefined, { authorization: access });
  }

  /** Where everybody can read a certification's report. */
  reportUrl(certificationId: string): string {
    return `${this.base}/v1/certifications/${certificationId}`;
  }

  /** GET without a body, POST with one. Waits and asks again where the market says that it is too much at once. */
  private async ask<T>(path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const { response, text } = await this.send(path, body, headers);
      if (response.ok) return readJson(text, this.base) as T;
      const waitSeconds =
        retryAfterSeconds(response.headers.get('retry-after'), response.headers.get('date')) ?? 0;
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || attempt === MOST_ATTEMPTS || waitSeconds > LONGEST_WAIT_SECONDS) {
        throw refusalOf(response.status, text, this.base);
      }
      await pause(Math.max(1, waitSeconds) * 1_000);
    }
  }

  private async send(
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<{ response: Response; text: string }> {
    try {
      const response = await fetch(this.base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { response, text: await response.text() };
    } catch (error) {
      const { cause, message } = error as Error;
      const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
      throw new CommandError(`the market at ${this.base} does not answer: ${reason}`);
    }
  }
}

/** It is signed for, and written into the provider's file by `init`: nothing else may come by it. */
function isDomain(domain: TermsReply['domain'] | undefined): domain is TermsReply['domain'] {
  const { chainId, verifyingContract }: { chainId?: unknown; verifyingContract?: unknown } = domain ?? {};
  const isChain = Number.isSafeInteger(chainId) && Number(chainId) >= 1;
  return isChain && typeof verifyingContract === 'string' && EVM_ADDRESS.pattern.test(verifyingContract);
}

function readJson(text: string, base: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`what answers at ${base} is no market: it sent no JSON`);
  }
}

function refusalOf(status: number, text: string, base: string): CommandError {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; code: string; param: string | null } };
    return new MarketRefusal(error.message, status, error.code, error.param);
  } catch {
    return new CommandError(`what answers at ${base} is no market: HTTP ${status}`);
  }
}
