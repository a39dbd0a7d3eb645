import { inTermsOfFile } from '../market/in-terms-of-file';
import type { CommandContext, ProviderContext } from './command-context';
import { providerContext } from './command-context';

/** Makes the wallet known to the market under the file's name, or changes the name. */
export async function register(context: CommandContext): Promise<number> {
  const provider = await providerContext(context);
  const known = await provider.session.status();
  await registerAs(provider);
  const { terminal, session, file } = provider;
  terminal.say(
    `${known ? 'registered anew' : 'registered'} as "${file.content.provider.name}": ${session.provider}`,
  );
  terminal.result({ provider: session.provider, name: file.content.provider.name });
  return 0;
}

/** @throws CommandError what the market says against it, with the place in the file */
export async function registerAs({ session, file }: ProviderContext): Promise<void> {
  const { name, contact = '' } = file.content.provider;
  const send = (signed: object) => session.market.register({ ...signed, name, contact });
  await inTermsOfFile(
    file,
    (param) => (param === 'name' || param === 'contact' ? `provider.${param}` : 'wallet'),
    () => session.act('Registration', { name, contact }, send),
  );
}
