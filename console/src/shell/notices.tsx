// Where short messages appear (components/notify.ts). Each goes away by itself, but not while the pointer or the
// keyboard is on it.
import { Button, CloseButton } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { closeMessage, currentMessages, type Message, subscribeToMessages } from '../components/notify.ts'
import classes from './notices.module.css'

/** Long enough to reach the button by the keyboard. */
const SHOWN_MS = 10_000

export default function Notices() {
  const messages = useSyncExternalStore(subscribeToMessages, currentMessages)
  return (
    <div className={classes.notices}>
      {messages.map((message) => (
        <Notice key={message.id} message={message} />
      ))}
    </div>
  )
}

function Notice({ message: { id, title, text, isFailure, undo } }: { readonly message: Message }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(closeMessage, SHOWN_MS, id)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it does nothing but stay while somebody is on it
    <div
      role={isFailure ? 'alert' : 'status'}
      className={classes.notice}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <div className={classes.text}>
        {title !== undefined && <strong>{title}</strong>}
        <span>{text}</span>
        {undo !== undefined && (
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => {
              closeMessage(id)
              void undo()
            }}
          >
            Undo
          </Button>
        )}
      </div>
      <CloseButton size="sm" aria-label="Close this message" onClick={() => closeMessage(id)} />
    </div>
  )
}
