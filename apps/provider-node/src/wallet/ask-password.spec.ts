import { PassThrough } from 'node:stream';
import { askPassword } from './ask-password';

describe('a password that is asked for', () => {
  let asked: jest.SpyInstance;

  beforeEach(() => {
    asked = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => asked.mockRestore());

  const typing = (keys: string): Promise<string | undefined> => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const answer = askPassword('Password: ', terminal);
    terminal.write(keys);
    return answer;
  };

  it('is what is typed', async () => {
    await expect(typing('pass word\r')).resolves.toBe('pass word');
    expect(asked.mock.calls.join('')).toBe('Password: \n');
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('ends the command when it is left with %s', async (_key, typed) => {
    await expect(typing(typed)).rejects.toMatchObject({ message: 'no password was given', exitCode: 1 });
  });

  it('is not asked where nobody sits', async () => {
    await expect(askPassword('Password: ', new PassThrough())).resolves.toBeUndefined();
    expect(asked).not.toHaveBeenCalled();
  });
});
