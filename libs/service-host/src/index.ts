export { listenService } from './listen-service';
export type { ListeningService, ServiceDefinition, ServiceParts } from './listen-service';
export { startService } from './start-service';
