import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/** How what is looked for stands in the address. */
export interface AddressForm<Looked> {
  readonly from: (params: URLSearchParams) => Looked;
  readonly to: (looked: Looked) => URLSearchParams;
}

/**
 * What is looked for in a list, and a way to change it. It stands in the address as well, so that a reload and going back come to the same;
 * what is typed does not wait for that, or letters would get lost.
 * @param form the same object each time
 */
export function useInAddress<Looked>(
  form: AddressForm<Looked>,
): [Looked, (changed: Looked, options: { replace: boolean }) => void] {
  const [params, setParams] = useSearchParams();
  const location = useLocation();
  const [looked, setLooked] = useState(() => form.from(params));
  useEffect(() => {
    const { pathname } = window.location;
    const read = () => {
      // The address may be ahead of `params`, when more is typed meanwhile. What another page's says is none of this one's.
      if (window.location.pathname === pathname)
        setLooked(form.from(new URLSearchParams(window.location.search)));
    };
    read();
    // Who goes back from where the router has not come yet is where they were, for the router: `params` stay the same.
    window.addEventListener('popstate', read);
    return () => window.removeEventListener('popstate', read);
    // Each time anew, also where `params` stay: a link may lead to where the router is, from where it has not come yet.
  }, [form, location]);
  const change = useCallback(
    (changed: Looked, { replace }: { replace: boolean }) => {
      setLooked(changed);
      setParams(form.to(changed), { replace, preventScrollReset: true });
    },
    [form, setParams],
  );
  return [looked, change];
}
