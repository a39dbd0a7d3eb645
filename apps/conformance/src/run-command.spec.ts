import { runCommand } from './run-command';

describe('the command', () => {
  it.each([
    ['--help', 0, /^usage: npm run conformance/],
    ['--bad', 2, /^Unknown option '--bad'\n\nusage: npm run conformance/],
  ])('with %s ends with %i, and says how it is called', async (option, code, words) => {
    const said: string[] = [];
    expect(await runCommand([option], (line) => said.push(line))).toBe(code);
    expect(said).toEqual([expect.stringMatching(words)]);
  });
});
