import { catalogueContracts } from './catalogue.contracts';
import { certificationContracts } from './certification.contracts';
import { marketContracts } from './market.contracts';
import { overviewContracts } from './overview.contracts';
import { offerFormContracts } from './offer-form.contracts';
import { operationContracts } from './operation.contracts';
import { supplyContracts } from './supply.contracts';

/** Every call that the catalogue answers. Who may make which is said by the NATS users' permissions. */
export const catalogContracts = {
  ...catalogueContracts,
  ...certificationContracts,
  ...marketContracts,
  ...overviewContracts,
  ...offerFormContracts,
  ...operationContracts,
  ...supplyContracts,
};
