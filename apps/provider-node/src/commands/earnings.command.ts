import { connectChain, settlementAt } from '@svc/contracts-evm';
import type { Settlement } from '@svc/contracts-evm';
import { formatUsdc, parseBaseUnits, parseSignedUsdc } from '@svc/money';
import { isError } from 'ethers';
import type { TransactionReceipt } from 'ethers';
import { CommandError } from '../command-line/command-error';
import { table } from '../command-line/terminal';
import type { Terminal } from '../command-line/terminal';
import type { EarningsReply } from '../market/market-replies';
import type { ProviderSession } from '../market/provider-session';
import { providerContext } from './command-context';
import type { CommandContext, ProviderContext } from './command-context';

const DAY_MS = 86_400_000;
/** A page of the market's. */
const MOST_LINES = '500';
/** Of a reply that makes no sense. */
const MOST_SHOWN_CHARS = 60;
const MINED_WITHIN_MS = 120_000;
const WHY_LESS =
  'the treasury has too little or lets too little be spent, or as much is paid out as may be in a day; claim again later';

/** Shows what was earned by day, and has it paid out when told to. */
export async function earnings(context: CommandContext): Promise<number> {
  const provider = await providerContext(context);
  const { terminal } = provider;
  const found = await readEarnings(provider.session, context.line.days);
  const days = byDay(found.lines);
  if (days.length === 0) terminal.say(`nothing was earned in the last ${context.line.days} days`);
  else
    terminal.say(
      table(
        ['day', 'requests', 'USDC'],
        days.map((day) => [day.day, String(day.requests), formatUsdc(day.credited)]),
      ),
    );
  const { account } = found;
  const sums = [
    ['earned in all', account.credited_usdc],
    ['paid by payers', account.released_usdc],
    ['paid out', account.paid_out_usdc],
    ['payable', account.payable_usdc],
  ] as const;
  for (const [title, amount] of sums) terminal.say(`${title.padEnd(16)}${amount} USDC`);
  const { share_bps: shareBps } = found;
  if (shareBps !== undefined)
    terminal.say(`your share      ${shareBps / 100} % of each charge, rounded down`);
  const claimed = context.line.claim ? await claim(provider, found) : undefined;
  terminal.result({ ...found, ...(claimed && { claimed }) });
  return 0;
}

async function readEarnings(session: ProviderSession, days: number): Promise<EarningsReply> {
  // Whole days, today's included.
  const from = new Date((Math.floor(Date.now() / DAY_MS) - days + 1) * DAY_MS).toISOString();
  const query = { by: 'day', from, limit: MOST_LINES };
  const access = await session.access();
  const first = await session.market.earnings(session.provider, query, access);
  const lines = [...first.lines];
  for (let { next } = first; next !== null;) {
    const page = await session.market.earnings(session.provider, { ...query, cursor: next }, access);
    lines.push(...page.lines);
    next = page.next;
  }
  return { ...first, lines, next: null };
}

function byDay(lines: EarningsReply['lines']): { day: string; requests: number; credited: bigint }[] {
  const days = new Map<string, { day: string; requests: number; credited: bigint }>();
  for (const { time, requests, credited_usdc } of lines) {
    const day = time.slice(0, 10);
    const sum = days.get(day) ?? { day, requests: 0, credited: 0n };
    days.set(day, {
      day,
      requests: sum.requests + requests,
      credited: sum.credited + baseUnitsOf(credited_usdc),
    });
  }
  return [...days.values()];
}

/** Sends the contract's `claim`. The tokens go to the provider, whoever sends it; the gas is the wallet's. */
async function claim({ file, session, terminal }: ProviderContext, { account, claim: proof }: EarningsReply) {
  const rpcUrl = file.content.chain?.rpc_url;
  if (rpcUrl === undefined)
    throw file.refusal('chain', 'rpc_url is missing: a node of the chain to claim through');
  // Payouts have a line for whoever is owed something: its proof is gone then.
  if (baseUnitsOf(account.payable_usdc) === 0n) return nothingLeft(terminal, account);
  if (!proof) throw new CommandError('nothing can be claimed yet: no payout is published with your earnings');
  if (proof.state === 'signed')
    throw new CommandError('nothing was sent: a new payout is on its way to the chain; claim again soon');
  const { chainId, verifyingContract } = session.terms.domain;
  const chain = await connectChain({ rpcUrl, chainId: BigInt(chainId) }).catch((error: unknown) => {
    throw new CommandError(`no claim through chain.rpc_url: ${inShort(error)}`);
  });
  try {
    const contract = settlementAt(verifyingContract, session.signer.wallet.connect(chain));
    const cumulative = baseUnitsOf(proof.cumulative, parseBaseUnits);
    const owed = cumulative - (await contract.paid(session.provider));
    if (owed <= 0n) return nothingLeft(terminal, account);
    const refused = (error: unknown) => {
      throw claimRefusal(error, session.signer.wallet.address);
    };
    const wanted = [session.provider, cumulative, proof.proof] as const;
    const payable = await contract.claim.staticCall(...wanted).catch(refused);
    if (payable === 0n)
      throw new CommandError(`nothing of ${formatUsdc(owed)} USDC can be paid out: ${WHY_LESS}`);
    const sent = await contract.claim(...wanted).catch(refused);
    terminal.say(`claiming ${formatUsdc(payable)} USDC: transaction ${sent.hash}`);
    const receipt = await sent.wait(1, MINED_WITHIN_MS).catch((error: unknown) => {
      throw new CommandError(`the claim was sent and not seen to succeed: ${inShort(error)}`);
    });
    // By then it may be another amount than before.
    const amount = amountPaid(contract, receipt);
    const block = receipt?.blockNumber;
    if (amount === 0n)
      throw new CommandError(`mined in block ${block}, but nothing was paid out: ${WHY_LESS}`);
    terminal.say(`mined in block ${block}: ${formatUsdc(amount)} USDC were paid out`);
    if (amount < owed) terminal.say(`${formatUsdc(owed - amount)} USDC are left: ${WHY_LESS}`);
    return { amount: String(amount), transaction: sent.hash, block };
  } finally {
    chain.destroy();
  }
}

/** What the contract says in a transaction that it paid. */
function amountPaid(contract: Settlement, receipt: TransactionReceipt | null): bigint {
  const events = (receipt?.logs ?? []).map((log) => contract.interface.parseLog(log));
  const paid = events.find((event) => event?.name === 'Paid');
  return (paid?.args.amount as bigint | undefined) ?? 0n;
}

function nothingLeft(terminal: Terminal, account: EarningsReply['account']): undefined {
  const waiting = baseUnitsOf(account.credited_usdc) - baseUnitsOf(account.released_usdc);
  terminal.say('everything that is payable was paid out');
  if (waiting > 0n)
    terminal.say(
      `${formatUsdc(waiting)} USDC of what was earned are not payable: not collected from payers yet when payouts were ` +
        'last published, given back to them, or paid by the platform',
    );
  return undefined;
}

function claimRefusal(error: unknown, wallet: string): Error {
  if (isError(error, 'INSUFFICIENT_FUNDS'))
    return new CommandError(
      `${wallet.toLowerCase()} cannot pay for the gas of its claim: send it some of the chain's own currency, and claim again`,
    );
  // Between the market's word and the chain's: the next reading has the proof that counts.
  if (isError(error, 'CALL_EXCEPTION') && error.revert?.name === 'NotInPayoutRoot')
    return new CommandError('nothing was sent: another payout was published meanwhile; claim again soon');
  return new CommandError(`the chain did not take the claim: ${inShort(error)}`);
}

/** The chain client's whole message may hold the signed transaction: nobody is helped by it. */
function inShort(error: unknown): string {
  const { shortMessage, message } = error as Error & { shortMessage?: string };
  return shortMessage ?? message;
}

/**
 * An amount of the market's reply: in USDC, unless another form is told.
 * @throws CommandError for what is none: no sum or claim is to rest on it
 */
function baseUnitsOf(amount: string, parse: (text: string) => bigint = parseSignedUsdc): bigint {
  try {
    return parse(amount);
  } catch {
    const shown = String(JSON.stringify(amount)).slice(0, MOST_SHOWN_CHARS);
    throw new CommandError(`the market's reply has ${shown} where an amount belongs`);
  }
}
