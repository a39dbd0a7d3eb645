export { TransientMap } from './transient-map';
