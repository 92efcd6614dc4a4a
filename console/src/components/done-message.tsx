// What was done, with a button that takes it back.
import { Button } from '@mantine/core'
import classes from './done-message.module.css'

export function doneMessage(text: string, onUndo: (() => void) | undefined) {
  return (
    <span className={classes.message}>
      <span>{text}</span>
      {onUndo !== undefined && (
        <Button variant="default" size="compact-xs" onClick={onUndo}>
          Undo
        </Button>
      )}
    </span>
  )
}
