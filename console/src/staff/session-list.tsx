/** The user's open sessions, and buttons to sign out here or everywhere. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { forgetStaff } from "./forget-staff.ts";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { ErrorPanel, Loaded } from "../kit/loaded.tsx";
import { staffRequest, type Session } from "./staff-requests.ts";

const queryKey = ["staff", "sessions"];

export function SessionList() {
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [failure, setFailure] = useState<unknown>();
  const [isLeaving, setIsLeaving] = useState(false);
  const query = useQuery({
    queryKey,
    queryFn: () => staffRequest<{ readonly data: readonly Session[] }>("GET", "sessions"),
  });
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(error);
    }
  };
  const end = ({ id, device }: Session) =>
    run(async () => {
      await staffRequest("DELETE", `sessions/${id}`);
      announce(`The session of ${device} has ended.`);
      await queries.invalidateQueries({ queryKey });
    });
  const signOut = () =>
    run(async () => {
      await staffRequest("POST", "sign-out");
      await forgetStaff(queries);
    });
  const signOutEverywhere = async (): Promise<void> => {
    await staffRequest("DELETE", "sessions");
    await forgetStaff(queries);
  };
  return (
    <Loaded query={query}>
      {({ data }) => (
        <div className="stack">
          <ul className="key-rows" aria-label="Your sessions">
            {data.map((session) => (
              <li key={session.id} className="key-row">
                <span>
                  {session.device} {session.isCurrent && <span className="badge neutral">this browser</span>}
                </span>
                <span className="small muted">
                  Signed in <Age at={session.createdAt} />, last used <Age at={session.lastSeenAt} />
                </span>
                {!session.isCurrent && (
                  <button type="button" className="small" onClick={() => void end(session)}>
                    End the session
                  </button>
                )}
              </li>
            ))}
          </ul>
          {failure !== undefined && <ErrorPanel error={failure} />}
          <p className="row wrap">
            <button type="button" onClick={() => void signOut()}>
              Sign out here
            </button>
            <button type="button" onClick={() => setIsLeaving(true)}>
              Sign out everywhere
            </button>
          </p>
          {isLeaving && (
            <ConfirmDialog
              title="Sign out everywhere?"
              effect={<p>All your sessions end, in this browser and in others.</p>}
              action="Sign out everywhere"
              onConfirm={signOutEverywhere}
              onClose={() => setIsLeaving(false)}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}
