// Gives up what was typed: asks first, because nothing brings it back.
import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'

interface DiscardButtonProps extends Pick<ButtonProps, 'variant' | 'color' | 'size' | 'disabled'> {
  /** what is given up, as a question */
  readonly question?: string
  readonly onDiscard: () => void
  readonly 'aria-label'?: string
  readonly children?: ReactNode
}

export function DiscardButton(props: DiscardButtonProps) {
  const { question = 'Discard your changes?', onDiscard, children = 'Discard', ...button } = props
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setAsking(true)}>
        {children}
      </Button>
      {isAsking && (
        <Dialog
          title={question}
          action="Discard"
          cancel="Keep editing"
          isDanger
          isBusy={false}
          onSubmit={() => {
            setAsking(false)
            onDiscard()
          }}
          onClose={() => setAsking(false)}
        >
          <p>What you changed and have not saved is lost.</p>
        </Dialog>
      )}
    </>
  )
}
