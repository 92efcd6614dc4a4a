// Dialogs over a page: a form, or a question before something is deleted. What was refused is said in the dialog, and
// what was typed stays.
import '@mantine/core/styles/Alert.layer.css'
import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { describeError } from '../api/api-error.ts'
import classes from './dialog.module.css'
import { Modal } from './modal.tsx'

interface DialogProps {
  readonly title: string
  /** on the button that does it */
  readonly action: string
  /** on the button that does not; null where there is nothing to do but to close */
  readonly cancel?: string | null
  /** it takes something away */
  readonly isDanger?: boolean
  readonly isBusy: boolean
  /** what the server said, where no field of the form says it */
  readonly error?: unknown
  /** another way to end it, at the left of the buttons */
  readonly other?: ReactNode
  readonly onSubmit: () => void
  readonly onClose: () => void
  /** with room for a list of changes */
  readonly isWide?: boolean
  readonly children: ReactNode
}

export function Dialog(props: DialogProps) {
  const {
    title,
    action,
    cancel = 'Cancel',
    isDanger,
    isBusy,
    error,
    other,
    onSubmit,
    onClose,
    isWide,
    children,
  } = props
  return (
    <Modal title={title} size={isWide ? 'lg' : 'md'} onClose={onClose}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          event.stopPropagation() // the page below may be a form, too
          onSubmit()
        }}
        noValidate
      >
        {children}
        {error !== undefined && error !== null && (
          <Alert color="red" role="alert">
            {describeError(error).text}
          </Alert>
        )}
        <div className={classes.actions}>
          {other && <div className={classes.other}>{other}</div>}
          {cancel !== null && (
            <Button variant="default" onClick={onClose}>
              {cancel}
            </Button>
          )}
          <Button type="submit" color={isDanger ? 'red.9' : undefined} loading={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
