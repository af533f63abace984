/**
 * The permissions of the gateway, written by hand: the tests compare the server with these cells. Nothing here is computed,
 * and nothing comes from the code under test. A permission that changes there changes here as well, in its cell.
 *
 * A block names its commands, and in parentheses the feature that the active phase must have. Rows are stored roles: a
 * speaker in a call reads as a participant there, and a participant in a broadcast as a viewer. The column `none` stands for an
 * event without an active phase; an announced event has the features of all its phases to come.
 *
 * A cell says what a sender gets:
 *
 *     yes        The command is allowed. Without the feature it is refused as `feature_disabled`.
 *     questions  As `yes` where the event has `allowAnonymousQuestions`, as `no` where it does not.
 *     voting     As `yes` where the event has `allowAnonymousVoting`, as `no` where it does not.
 *     no         The role may not send it in such a phase: `forbidden`. Without the feature nobody may: `feature_disabled`.
 *     never      The role may not send it in any phase: `forbidden`, whatever the phase and its features.
 *     -          Such a phase has no such thing for anybody: `wrong_phase`, whatever its features.
 */
export const PERMISSION_TABLE = `
phase.next phase.update event.end timer.extend announce announcement.prepare announcement.discard announcement.send
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

role.set participant.remove participant.unblock participant.mute
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

capture.start capture.stop (capture)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

transcript.push (transcript)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

rtc.join rtc.leave rtc.signal
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            yes        yes         yes         -
  host             -            yes        yes         yes         -
  speaker          -            yes        yes         yes         -
  participant      -            yes        yes         yes         -
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

rtc.mute
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            yes        yes         yes         -
  host             -            yes        yes         yes         -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

broadcast.ingest
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          -          -           -           -
  host             yes          -          -           -           -
  speaker          yes          -          -           -           -
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

broadcast.start broadcast.pause broadcast.resume broadcast.stop
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          -          -           -           -
  host             yes          -          -           -           -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

lobby.admit lobby.deny lobby.policy participant.toLobby
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            yes        yes         yes         -
  host             -            yes        yes         yes         -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

question.ask question.withdraw (qa)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          yes          yes        yes         yes         yes
  participant      yes          yes        yes         yes         yes
  viewer           yes          no         no          no          yes
  anonymous        questions    no         no          no          questions

question.vote (qa)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          yes          yes        yes         yes         yes
  participant      yes          yes        yes         yes         yes
  viewer           yes          no         no          no          yes
  anonymous        voting       no         no          no          voting

question.approve question.hide question.restore question.pin qa.settings (qa)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

question.answer (qa)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          yes          no         no          no          no
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

chat.send chat.delete (chat)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          yes          yes        yes         yes         -
  participant      yes          yes        yes         yes         -
  viewer           yes          no         no          no          -
  anonymous        never        never      never       never       never

chat.slow (chat)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

poll.create poll.delete (polls)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

poll.open poll.close poll.publish poll.hide (polls)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

poll.vote (polls)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          yes          yes        yes         yes         -
  participant      yes          yes        yes         yes         -
  viewer           yes          no         no          no          -
  anonymous        voting       no         no          no          -

reaction.send (reactions)
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          yes          yes        yes         yes         -
  participant      yes          yes        yes         yes         -
  viewer           yes          no         no          no          -
  anonymous        yes          no         no          no          -

hand.raise stage.accept
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         -           -
  host             yes          yes        yes         -           -
  speaker          no           yes        yes         -           -
  participant      yes          yes        yes         -           -
  viewer           yes          no         no          -           -
  anonymous        never        never      never       never       never

hand.lower stage.leave
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         -           -
  host             yes          yes        yes         -           -
  speaker          yes          yes        yes         -           -
  participant      yes          yes        yes         -           -
  viewer           yes          no         no          -           -
  anonymous        never        never      never       never       never

hand.lowerFor stage.invite
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         -           -
  host             yes          yes        yes         -           -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

breakout.plan
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            yes        yes         -           -
  host             -            yes        yes         -           -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

breakout.open breakout.move breakout.close
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            -          yes         -           -
  host             -            -          yes         -           -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

room.choose room.return room.help
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            -          yes         -           -
  host             -            -          yes         -           -
  speaker          -            -          yes         -           -
  participant      -            -          yes         -           -
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

rotation.start rotation.skip rotation.pause rotation.resume rotation.stop
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            -          -           yes         -
  host             -            -          -           yes         -
  speaker          never        never      never       never       never
  participant      never        never      never       never       never
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

rotation.opt
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            -          -           yes         -
  host             -            -          -           yes         -
  speaker          -            -          -           yes         -
  participant      -            -          -           yes         -
  viewer           never        never      never       never       never
  anonymous        never        never      never       never       never

roster.list
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          yes          yes        yes         yes         yes
  participant      yes          yes        yes         yes         yes
  viewer           yes          yes        yes         yes         yes
  anonymous        never        never      never       never       never

leave sync
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         yes
  host             yes          yes        yes         yes         yes
  speaker          yes          yes        yes         yes         yes
  participant      yes          yes        yes         yes         yes
  viewer           yes          yes        yes         yes         yes
  anonymous        yes          yes        yes         yes         yes
`

/**
 * The places `chat.send` writes to: everyone at the event, the people in the sender's room, or the staff (in a broadcast with
 * the speakers). The server looks at the place once the block of `chat.send` above allows the command.
 */
export const CHAT_TABLE = `
event
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          yes          yes        no          no          -
  participant      yes          yes        no          no          -
  viewer           yes          no         no          no          -
  anonymous        never        never      never       never       never

room
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  -            -          yes         yes         -
  host             -            -          yes         yes         -
  speaker          -            -          yes         yes         -
  participant      -            -          yes         yes         -
  viewer           no           no         no          no          -
  anonymous        never        never      never       never       never

staff
                   broadcast    meeting    breakout    rotation    none
  workspace_admin  yes          yes        yes         yes         -
  host             yes          yes        yes         yes         -
  speaker          yes          no         no          no          -
  participant      no           no         no          no          -
  viewer           no           no         no          no          -
  anonymous        never        never      never       never       never
`
