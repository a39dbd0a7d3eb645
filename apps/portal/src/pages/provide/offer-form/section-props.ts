import type { OfferDraft, OfferField } from './offer-draft';

/** What a section works with. */
export interface SectionProps {
  draft: OfferDraft;
  change: (change: Partial<OfferDraft>) => void;
  /** What an input of the field gets. */
  field: (name: OfferField) => {
    value: string;
    error: string | undefined;
    'data-field': string;
    onChange: (value: string) => void;
  };
}
