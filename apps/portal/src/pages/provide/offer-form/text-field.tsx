import { TextInput } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import type { SectionProps } from './section-props';

type TextFieldProps = Omit<TextInputProps, 'value' | 'onChange' | 'error'> &
  ReturnType<SectionProps['field']>;

/** One of the form's fields. */
export function TextField({ onChange, ...rest }: TextFieldProps) {
  return <TextInput autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} {...rest} />;
}
