import { table } from '../command-line/terminal';
import { usdcOf } from '@svc/money';
import type { OfferReply } from '../market/market-replies';
import { offerNames } from '../provider-file/offer-terms';
import { providerContext, registeredStatus } from './command-context';
import type { CommandContext } from './command-context';

const HEAD = ['name', 'model', 'offer', 'state', 'USDC/Mtok in', 'out', 'certification', 'health'];

/** Shows the provider's offers as the market has them. */
export async function status(context: CommandContext): Promise<number> {
  const { file, session, terminal } = await providerContext(context);
  const standing = await registeredStatus(session);
  terminal.say(`${standing.name}, ${standing.provider}`);
  if (standing.suspension)
    terminal.say(`suspended since ${standing.suspension.at}: ${standing.suspension.reason}`);
  if (standing.offers.length === 0) terminal.say('nothing was offered yet');
  else {
    // What the file does not have any more has no name.
    const names = offerNames(session.provider, file.content.offers);
    const rows = standing.offers.map((known) => [names.get(known.offer_id) ?? '-', ...row(known)]);
    terminal.say(table(HEAD, rows));
  }
  for (const { offer_id, reason } of standing.offers) {
    if (reason) terminal.say(`${offer_id}: ${reason.code}: ${reason.message}`);
  }
  terminal.result(standing);
  return 0;
}

function row(offer: OfferReply): string[] {
  return [
    offer.model,
    offer.offer_id,
    offer.reason ? `${offer.state} (${offer.reason.code})` : offer.state,
    usdcOf(offer.input_price_per_mtok),
    usdcOf(offer.output_price_per_mtok),
    certification(offer),
    health(offer),
  ];
}

function certification({ certification: newest, certification_id }: OfferReply): string {
  if (newest?.status === 'queued' || newest?.status === 'running') {
    return `${newest.kind} ${newest.status} ${newest.done}/${newest.total}`;
  }
  return certification_id ?? (newest ? `${newest.status} (${newest.certification_id})` : '-');
}

function health({ health: found }: OfferReply): string {
  const parts = [
    typeof found.first_token_ms === 'number' ? `${Math.round(found.first_token_ms)} ms to first token` : '',
    typeof found.tokens_per_second === 'number' ? `${Math.round(found.tokens_per_second)} tokens/s` : '',
    typeof found.error_rate === 'number' ? `${(found.error_rate * 100).toFixed(1)} % errors` : '',
    typeof found.invalid_rate === 'number' && found.invalid_rate > 0
      ? `${(found.invalid_rate * 100).toFixed(1)} % invalid`
      : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || '-';
}
