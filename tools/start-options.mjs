/** The command line of `npm start`: read before anything is installed or built, for whoever mistyped something would wait for that. */

export const usage = `npm start -- [options]
  --environment NAME      testnet (default) or production
  --upstream URL          an OpenAI-compatible server's base URL, e.g. http://127.0.0.1:11434/v1
  --upstream-model NAME   the model's name there
  --upstream-key KEY      its API key, if it wants one (or UPSTREAM_API_KEY)
  --gateway N             gateway processes (1)
  --dispatch N            dispatch processes (1); N-M: from N to M, as there is work`;

const flags = ['upstream', 'upstream-model', 'upstream-key', 'gateway', 'dispatch'];
const mostReplicas = 16;

/**
 * @returns what apps/local-stack takes as its command line (stack.config.ts)
 * @throws Error with one line for the user when something does not fit
 */
export function readOptions(args) {
  const values = readFlags(args);
  const dispatchRange = rangeIn('dispatch', values.dispatch);
  return {
    upstream: upstreamIn(values),
    replicas: {
      gateway: countIn('gateway', values.gateway),
      dispatch: dispatchRange?.least ?? countIn('dispatch', values.dispatch),
    },
    dispatchRange,
  };
}

/** Takes `--flag value` and `--flag=value`. */
function readFlags(args) {
  const values = {};
  for (let index = 0; index < args.length; index += 1) {
    const [name, inline] = splitOnce(args[index]);
    const flag = flags.find((known) => name === `--${known}`);
    if (flag === undefined) throw new Error(`Unknown option ${name}.\n${usage}`);
    const value = inline ?? args[(index += 1)];
    if (value === undefined || value === '') throw new Error(`--${flag} needs a value.\n${usage}`);
    values[flag] = value;
  }
  return values;
}

function splitOnce(argument) {
  const at = argument.indexOf('=');
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}

function upstreamIn({ upstream: url, 'upstream-model': model, 'upstream-key': apiKey }) {
  if (url === undefined && model === undefined && apiKey === undefined) return undefined;
  if (url === undefined || model === undefined) {
    throw new Error(`--upstream and --upstream-model belong together.\n${usage}`);
  }
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) {
    throw new Error('--upstream must be a URL that begins with http:// or https://.');
  }
  return { url, model, apiKey };
}

/** `2-5`. @returns undefined for a single number */
function rangeIn(flag, text) {
  const [least, most, ...rest] = text?.split('-') ?? [];
  if (most === undefined) return undefined;
  const range = { least: countIn(flag, least), most: countIn(flag, most) };
  if (rest.length === 0 && range.least <= range.most) return range;
  throw new Error(`--${flag} must be a number, or two of which the first is not the larger: 1-4.`);
}

function countIn(flag, text) {
  if (text === undefined) return 1;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= mostReplicas) return count;
  throw new Error(`--${flag} must be a whole number from 1 to ${mostReplicas}.`);
}
