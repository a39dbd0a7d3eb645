export { BoundedMap } from './bounded-map';
export { TransientMap } from './transient-map';
