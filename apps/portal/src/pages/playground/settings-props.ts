import type { ChatModel } from '../../api/chat-models';
import type { Problems, Settings } from './settings';

/** What the parts of the settings work with. */
export interface SettingsProps {
  settings: Settings;
  problems: Problems;
  /** The chosen one, when it is known. */
  model: ChatModel | undefined;
  change: (settings: Partial<Settings>) => void;
}
