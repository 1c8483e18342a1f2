kubectl get configmap coredns --namespace kube-system --output jsonpath='{.data.Corefile}' >Corefile.before
cp Corefile.before Corefile # and edit it
