export { HttpConfig } from './http.config';
export { ConfigError, Env, loadConfig } from './load-config';
export { ProcessConfig } from './process.config';
export {
  EVM_ADDRESS,
  Fits,
  HTTP_URL,
  NATS_LOGIN,
  NATS_SERVERS,
  POSTGRES_URL,
  PRIVATE_KEY,
  SECRET,
} from './rules';
export { ServiceConfig } from './service.config';
