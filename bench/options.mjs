import { parseArgs } from 'node:util';

/**
 * What a bench was called with: `numbers` are positive and have what they are unless told (or undefined), `others` are as `parseArgs`
 * takes them, words may stand where `words` says so. `--help` says how it is called; what does not fit ends it with 2, before
 * anything is started.
 */
export function readOptions({ command, numbers = {}, others = {}, words = false, check = () => ({}) }) {
  const named = Object.keys(numbers).map((name) => [name, { type: 'string' }]);
  const options = { ...Object.fromEntries(named), ...others, help: { type: 'boolean', short: 'h' } };
  const usage = usageOf(command, words, options);
  try {
    const { values, positionals } = parseArgs({ allowPositionals: words, options });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const read = { ...values };
    for (const [name, unlessTold] of Object.entries(numbers)) {
      read[name] = name in values ? positive(name, values[name]) : unlessTold;
    }
    return { ...read, ...check(read, positionals) };
  } catch (error) {
    console.error(`${error.message.split('\n')[0]}\n${usage}`);
    process.exit(2);
  }
}

function positive(name, text) {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new Error(`--${name} must be a number above 0`);
  return number;
}

function usageOf(command, words, options) {
  const shown = Object.entries(options)
    .filter(([name]) => name !== 'help')
    .map(([name, { type }]) => ` [--${name}${type === 'string' ? ' …' : ''}]`);
  return `${command} --${words ? ' [NAME …]' : ''}${shown.join('')}`;
}
