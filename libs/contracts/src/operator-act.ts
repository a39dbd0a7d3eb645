import { IsString, Length } from 'class-validator';
import { every } from './every';
import { IsPlainText } from './fields';

/** The longest that an operator's reason may be, in characters. It stands in the audit trail, and on receipts. */
export const MOST_REASON_CHARS = 200;
/** The longest name of whoever acts. */
export const MOST_ACTOR_CHARS = 80;

/** The catalogue has taken more than billing from the beginning: whoever calls it with as much is not to be refused one day. */
export const MOST_CATALOG_REASON_CHARS = 500;
export const MOST_CATALOG_ACTOR_CHARS = 100;

/** The field says why an operator does something: a line of text. */
export function IsReason({ most = MOST_REASON_CHARS } = {}): PropertyDecorator {
  return every(IsString(), Length(1, most), IsPlainText());
}

/**
 * The field says who does something: a person, a team, an operator's wallet.
 * @param reserved a name that is the service's own
 */
export function IsActor({
  most = MOST_ACTOR_CHARS,
  reserved,
}: { most?: number; reserved?: string } = {}): PropertyDecorator {
  return every(IsString(), Length(1, most), IsPlainText({ reserved }));
}

/**
 * What an operator does and why; it stands in the audit trail. Where a field has another rule, there is a class beside this one, not below
 * it: whatever extended that one would be checked by the rules of both.
 */
export class OperatorAct {
  @IsReason()
  reason!: string;

  /** Who does it: a person, a team, an operator's wallet. */
  @IsActor()
  actor!: string;
}

/** The same, done to what the catalogue keeps. */
export class CatalogAct {
  @IsReason({ most: MOST_CATALOG_REASON_CHARS })
  reason!: string;

  /** Who does it. */
  @IsActor({ most: MOST_CATALOG_ACTOR_CHARS })
  actor!: string;
}
