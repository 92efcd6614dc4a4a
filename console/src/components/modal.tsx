// The frame of every dialog. It opens on its first field, gives the focus back to what opened it, and asks before it
// closes over what was typed: a click beside it, Escape or a step of the browser loses nothing.
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import { Button, Modal as MantineModal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type FocusEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import classes from './dialog.module.css'
import { useFirstFocus, useFocusBack } from './dialog-focus.ts'
import { useTyped } from './typed-fields.ts'

interface ModalProps {
  readonly title: string
  readonly size?: 'md' | 'lg'
  /** something was chosen that no field holds, such as a list of tags */
  readonly isDirty?: boolean
  /** only its own buttons close it: what it shows cannot be shown again */
  readonly isSticky?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Modal({ title, size = 'md', isDirty = false, isSticky = false, onClose, children }: ModalProps) {
  const [isAsking, setAsking] = useState(false)
  const lastFocus = useRef<Element>(null)
  const { wasTyped, watch } = useTyped()
  useFocusBack()
  const onFocus = (event: FocusEvent) => {
    lastFocus.current = event.target
    watch(event)
  }
  const isLosing = () => isSticky || isDirty || wasTyped()
  const close = () => {
    if (isAsking) setAsking(false)
    else if (isLosing()) setAsking(true)
    else onClose()
  }
  useBlocker({
    // other steps are taken by the dialog itself, when it is done
    shouldBlockFn: ({ action }) => {
      if (!['BACK', 'FORWARD', 'GO'].includes(action) || !isLosing()) return false
      setAsking(!isSticky)
      return true
    },
    enableBeforeUnload: isLosing,
  })
  return (
    <MantineModal
      opened
      onClose={close}
      title={title}
      size={size}
      lockScroll={false}
      withCloseButton={!isSticky}
      closeOnEscape={!isSticky}
      closeOnClickOutside={!isSticky}
      closeButtonProps={{ 'aria-label': 'Close' }}
      returnFocus={false}
      centered
    >
      {isAsking && <Question lastFocus={lastFocus} onKeep={() => setAsking(false)} onDiscard={onClose} />}
      <div inert={isAsking} onFocusCapture={onFocus}>
        <Body>{children}</Body>
      </div>
    </MantineModal>
  )
}

/** Mounted later than the frame is. */
function Body({ children }: { readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null)
  useFirstFocus(body)
  return <div ref={body}>{children}</div>
}

interface QuestionProps {
  /** what had it in the form */
  readonly lastFocus: RefObject<Element | null>
  readonly onKeep: () => void
  readonly onDiscard: () => void
}

function Question({ lastFocus, onKeep, onDiscard }: QuestionProps) {
  const keep = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const typing = lastFocus.current
    keep.current?.focus()
    return () => {
      // once the fields can take the focus again
      setTimeout(() => typing instanceof HTMLElement && typing.isConnected && typing.focus())
    }
  }, [lastFocus])
  return (
    <div role="alertdialog" aria-label="Discard your changes?" className={classes.question}>
      <p>Discard your changes?</p>
      <Button ref={keep} variant="default" onClick={onKeep}>
        Keep editing
      </Button>
      <Button color="red.9" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  )
}
