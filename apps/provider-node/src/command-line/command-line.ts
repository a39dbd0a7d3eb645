import { parseArgs } from 'node:util';
import { HTTP_URL } from '@svc/config';
import { misuse } from './command-error';

const COMMANDS = ['init', 'serve', 'register', 'offer', 'withdraw', 'status', 'earnings'] as const;
export type CommandName = (typeof COMMANDS)[number];

export const DEFAULT_FILE = 'svc-provider.yaml';

/** What the user called. */
export interface CommandLine {
  command: CommandName | undefined;
  /** The words after the command: names of offers. */
  names: string[];
  /** Undefined unless told: `serve` runs without a file too. */
  file?: string;
  url?: string;
  json: boolean;
  help: boolean;
  version: boolean;
  /** `init` */
  name?: string;
  keyFile?: string;
  /** `offer` */
  wait: boolean;
  exact: boolean;
  /** `withdraw` */
  all: boolean;
  /** `earnings` */
  days: number;
  claim: boolean;
}

/** Options that belong to one command only. */
const OWN_OPTIONS: Readonly<Record<string, CommandName>> = {
  name: 'init',
  'key-file': 'init',
  wait: 'offer',
  exact: 'offer',
  all: 'withdraw',
  days: 'earnings',
  claim: 'earnings',
};

const MOST_DAYS = 366;

/** @throws CommandError (2) for what is no command line of ours */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parsed(args);
  const [command, ...names] = positionals;
  const { help = false, version = false } = values;
  if (command !== undefined && !isCommand(command)) {
    throw misuse(`there is no command ${command}; it is one of ${COMMANDS.join(', ')}`);
  }
  for (const [option, owner] of Object.entries(OWN_OPTIONS)) {
    if (option in values && command !== owner && !help) throw misuse(`--${option} belongs to "${owner}"`);
  }
  if (names.length > 0 && command !== 'offer' && command !== 'withdraw' && !help) {
    throw misuse(`"${command}" takes no ${names[0]}`);
  }
  const { file, url, json = false, name, wait = true, exact = false, all = false, claim = false } = values;
  // Before "init" writes it down.
  if (url !== undefined && !HTTP_URL.pattern.test(url)) throw misuse(`--url ${HTTP_URL.message}`);
  const days = daysIn(values.days);
  return {
    command,
    names,
    file,
    url,
    json,
    help,
    version,
    name,
    keyFile: values['key-file'],
    wait,
    exact,
    all,
    days,
    claim,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        file: { type: 'string' },
        url: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        name: { type: 'string' },
        'key-file': { type: 'string' },
        wait: { type: 'boolean' },
        exact: { type: 'boolean' },
        all: { type: 'boolean' },
        days: { type: 'string' },
        claim: { type: 'boolean' },
      },
    });
  } catch (error) {
    // Its first sentence says what is wrong; the rest is about writing it otherwise.
    throw misuse((error as Error).message.split(/\. |\n/)[0] ?? 'the command line is wrong');
  }
}

function isCommand(word: string): word is CommandName {
  return (COMMANDS as readonly string[]).includes(word);
}

function daysIn(text = '30'): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days;
  throw misuse(`--days must be a whole number from 1 to ${MOST_DAYS}`);
}
