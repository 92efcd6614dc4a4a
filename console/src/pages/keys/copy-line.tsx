// A text that is copied, such as a secret or a command.
import { Button, CopyButton, TextInput } from '@mantine/core'
import { Icon } from '../../components/icon.tsx'
import classes from './keys.module.css'

export function CopyLine({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={classes.copy}>
      <TextInput
        label={label}
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        readOnly
      />
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            aria-label={`Copy: ${label}`}
            leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}
