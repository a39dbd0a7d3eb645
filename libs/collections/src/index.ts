export { BoundedMap } from './bounded-map';
export { GatheredBytes } from './gathered-bytes';
export { TransientMap } from './transient-map';
