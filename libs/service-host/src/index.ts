export { startService } from './start-service';
export type { ServiceDefinition, ServiceParts } from './start-service';
