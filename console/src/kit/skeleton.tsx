/** Grey lines in the place of what is loading, so that nothing jumps when it comes. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
