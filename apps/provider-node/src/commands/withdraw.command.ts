import { CommandError, misuse } from '../command-line/command-error';
import type { OfferReply } from '../market/market-replies';
import type { ProviderSession } from '../market/provider-session';
import { wantedOffer } from '../provider-file/offer-terms';
import type { ProviderFile } from '../provider-file/provider-file';
import { providerContext, registeredStatus } from './command-context';
import type { CommandContext } from './command-context';

/** Takes offers off the market. Requests under way finish. */
export async function withdraw(context: CommandContext): Promise<number> {
  const { names, all } = context.line;
  if (all === names.length > 0) throw misuse('say which offers, by name or id, or --all');
  const { file, session, terminal } = await providerContext(context);
  const chosen = all ? await everythingOf(session) : await named(names, file, session);
  for (const offer of chosen) {
    await withdrawOffer(session, offer.offer_id);
    terminal.say(`${offer.offer_id} (${offer.model}): withdrawn`);
  }
  if (chosen.length === 0) terminal.say('nothing is on offer');
  terminal.result({ withdrawn: chosen.map(({ offer_id }) => offer_id) });
  return 0;
}

export async function withdrawOffer(session: ProviderSession, offerId: string): Promise<void> {
  await session.act('Withdrawal', { offerId }, (signed) => session.market.withdrawOffer(offerId, signed));
}

export function isOffered({ state }: OfferReply): boolean {
  return state !== 'withdrawn';
}

/** A wallet that the market does not know has nothing on offer there. */
async function everythingOf(session: ProviderSession): Promise<OfferReply[]> {
  return (await session.status())?.offers.filter(isOffered) ?? [];
}

async function named(
  names: readonly string[],
  file: ProviderFile,
  session: ProviderSession,
): Promise<OfferReply[]> {
  const { offers } = await registeredStatus(session);
  return names.map((name) => find(name, file, session, offers));
}

function find(
  name: string,
  file: ProviderFile,
  session: ProviderSession,
  offers: readonly OfferReply[],
): OfferReply {
  const index = file.content.offers.findIndex((section) => section.name === name);
  const section = file.content.offers[index];
  const offerId = section ? wantedOffer(session.provider, section, `offers[${index}]`).offerId : name;
  const offer = offers.find(({ offer_id }) => offer_id === offerId);
  if (offer) return offer;
  throw new CommandError(
    section
      ? `${name} was never offered`
      : `there is no offer ${name}, neither in the file nor at the market`,
  );
}
