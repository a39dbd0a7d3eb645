import { ActionIcon, Button, Drawer, Paper, Tooltip } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconAdjustments, IconCode, IconTrash } from '@tabler/icons-react';
import { ConfirmAction } from '../../design/confirm-action';
import { useReturnFocus } from '../../design/focus';
import { PageHeader } from '../../design/page-header';
import { SimulatedNotice } from '../../design/simulated-notice';
import { Conversation } from './conversation-view';
import './playground.css';
import { SettingsPanel } from './settings-panel';
import { problemsIn } from './settings';
import { useChat } from './use-chat';
import { useChosenModel } from './use-chosen-model';
import { ViewCode } from './view-code';

/** Where the settings stand beside the conversation; elsewhere they are behind a button. */
const WIDE = '(min-width: 75em)';

export default function PlaygroundPage() {
  const { chat, state } = useChat();
  const { models, model, error, retry } = useChosenModel(chat, state.settings.model);
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const [code, codeOpen] = useDisclosure(false);
  const [drawer, drawerOpen] = useDisclosure(false);
  const [forget, forgetOpen] = useDisclosure(false);
  const focus = useReturnFocus();
  const { settings, turns } = state;
  const problems = problemsIn(settings, models);
  const hasProblems = Object.keys(problems).length > 0;
  const panel = (
    <SettingsPanel
      settings={settings}
      problems={problems}
      model={model}
      models={models ?? []}
      change={(next) => chat.change(next)}
    />
  );
  return (
    <>
      <PageHeader
        title="Playground"
        description="Talk to any model on the market. Each reply is charged to your wallet, and says what it cost."
        actions={
          <>
            {!isWide && (
              <Button
                variant="default"
                leftSection={<IconAdjustments size={16} />}
                onClick={drawerOpen.open}
                aria-haspopup="dialog"
              >
                Settings
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconCode size={16} />}
              onClick={codeOpen.open}
              disabled={hasProblems || models === undefined}
              aria-haspopup="dialog"
            >
              View code
            </Button>
            <Tooltip label="Forget the conversation">
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Forget the conversation"
                disabled={turns.length === 0}
                onClick={({ currentTarget }) => {
                  focus.openedBy(currentTarget);
                  forgetOpen.open();
                }}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <SimulatedNotice />
      <div className="playground">
        <Conversation
          chat={chat}
          state={state}
          problems={problems}
          models={{ error, retry, known: models !== undefined }}
        />
        {isWide ? (
          <Paper withBorder p="md" component="aside" aria-label="Settings" className="playground-settings">
            {panel}
          </Paper>
        ) : (
          <Drawer opened={drawer} onClose={drawerOpen.close} title="Settings" position="right">
            {panel}
          </Drawer>
        )}
      </div>
      <ConfirmAction
        opened={forget}
        onClose={() => {
          forgetOpen.close();
          focus.closed();
        }}
        title="Forget the conversation?"
        confirmLabel="Forget it"
        onConfirm={() => Promise.resolve(chat.clear())}
        danger
      >
        It is kept nowhere else, so it cannot be brought back. The settings stay.
      </ConfirmAction>
      <ViewCode opened={code} onClose={codeOpen.close} state={state} />
    </>
  );
}
