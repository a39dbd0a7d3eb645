import type { UsageSums } from '@svc/contracts';
import { parseBaseUnits, usdcOf } from '@svc/money';
import type { UsageFigures } from './usage-summary.dto';

export const NO_USAGE: UsageSums = {
  requests: 0,
  unserved: 0,
  errors: 0,
  promptTokens: 0,
  completionTokens: 0,
  charged: '0',
  timed: 0,
  firstTokenMs: 0,
  totalMs: 0,
};

/** What is left of `all` without `parts`, which are among it. Never below nothing: they may have been read a moment later. */
export function without(all: UsageSums, parts: readonly UsageSums[]): UsageSums {
  const rest = { ...all };
  let charged = parseBaseUnits(all.charged);
  for (const part of parts) {
    charged -= parseBaseUnits(part.charged);
    for (const name of COUNTS) rest[name] = Math.max(0, rest[name] - part[name]);
  }
  return { ...rest, charged: String(charged > 0n ? charged : 0n) };
}

/** Whether anything happened. */
export function isAnything({ requests, unserved }: UsageSums): boolean {
  return requests + unserved > 0;
}

/** Sums as clients see them. */
export function figuresOf(sums: UsageSums): UsageFigures {
  const { requests, errors, promptTokens, completionTokens, charged, timed, firstTokenMs, totalMs } = sums;
  return {
    requests,
    errors,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    charged_usdc: usdcOf(charged),
    first_token_ms: timed === 0 ? null : Math.round(firstTokenMs / timed),
    total_ms: timed === 0 ? null : Math.round(totalMs / timed),
  };
}

const COUNTS = [
  'requests',
  'unserved',
  'errors',
  'promptTokens',
  'completionTokens',
  'timed',
  'firstTokenMs',
  'totalMs',
] as const satisfies readonly (keyof UsageSums)[];
