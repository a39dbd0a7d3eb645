export { valueWithin, within } from './within';
