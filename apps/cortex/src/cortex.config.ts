import { ServiceConfig } from '@svc/config';

/** Cortex keeps everything in memory: what every service is told is all it needs. */
export class CortexConfig extends ServiceConfig {}
