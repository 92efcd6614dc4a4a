// Where short messages appear: components/notify.ts shows them.
import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import { Notifications } from '@mantine/notifications'

export default function Notices() {
  return <Notifications position="bottom-right" limit={3} />
}
