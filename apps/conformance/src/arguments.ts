import { parseArgs } from 'node:util';
import { environmentNamed, environmentOf } from './target/environment-terms';
import type { Props, TargetTerms } from './target/target';

export const USAGE = `usage: npm run conformance -- --url http://…/v1 --key svc_…

  --model ID                the model to ask where any would do
  --only SECTION            cases of that section of the interface, e.g. 4.1
  --environment NAME        testnet or production, instead of what the key's prefix says
  --at-once N               cases at once (1); no more than the models' certified concurrency
  --json                    one JSON document instead of the table
  --poor-key KEY            of an account without money: insufficient_quota is tried
  --suspended-key KEY       of a suspended account
  --revoked-key KEY
  --invalid-output-model ID its providers answer with what must not be delivered

Ends with 0 when nothing failed, 1 when something did, 2 when it could not be run.`;

/** Thrown when the suite cannot be run as it was called; the message is for people. */
export class UsageError extends Error {}

export interface RunArguments {
  terms: TargetTerms;
  only: string | undefined;
  json: boolean;
  /** How many cases at once. */
  atOnce: number;
}

/** @throws UsageError */
export function readArguments(args: readonly string[]): RunArguments {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        url: text,
        key: text,
        model: text,
        only: text,
        environment: text,
        json: flag,
        'poor-key': text,
        'suspended-key': text,
        'revoked-key': text,
        'invalid-output-model': text,
        'at-once': text,
      },
    }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]}\n\n${USAGE}`);
  }
  const { url, key } = values;
  if (url === undefined || key === undefined) throw new UsageError(USAGE);
  const props: Props = {
    poorKey: values['poor-key'],
    suspendedKey: values['suspended-key'],
    revokedKey: values['revoked-key'],
    invalidOutputModel: values['invalid-output-model'],
  };
  const terms = { baseUrl: urlOf(url), apiKey: key, environment: environmentFor(key, values.environment) };
  return {
    terms: { ...terms, model: values.model, props },
    only: values.only,
    json: values.json ?? false,
    atOnce: atOnceOf(values['at-once']),
  };
}

function atOnceOf(text = '1'): number {
  if (/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) return Number(text);
  throw new UsageError('--at-once is a number from 1 to 64');
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError('--url is no http or https URL');
}

function environmentFor(apiKey: string, name: string | undefined): TargetTerms['environment'] {
  const found = name === undefined ? environmentOf(apiKey) : environmentNamed(name);
  if (found) return found;
  throw new UsageError(
    name === undefined
      ? '--key begins neither with svc_test_ nor with svc_live_: say the --environment'
      : '--environment is testnet or production',
  );
}
