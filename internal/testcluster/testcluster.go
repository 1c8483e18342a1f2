// Package testcluster gives tests a real etcd and kube-apiserver on loopback, which another process runs (package controlplane, by way of
// package lend), and puts faults between a client and the server on demand. Most test packages use it: it imports
// neither controller-runtime nor client-go's typed clients, which take longer to link than all else.
//
// It never uses a cluster that is there already, nor reads a kubeconfig: neither KUBECONFIG nor
// USE_EXISTING_CLUSTER has an effect. There are no controllers: a deleted namespace stays Terminating,
// and nothing is scheduled. RBAC is on.
package testcluster

import "k8s.io/client-go/rest"

// Cluster is a control plane that runs. Its methods may be called concurrently.
type Cluster struct {
	// Config is that of an administrator, and does not throttle. Copy before changing it.
	Config *rest.Config

	client Client
	user   func(name string) (*rest.Config, error) // makes a client certificate
}

// New is the cluster whose administrator has a configuration, and which makes client certificates so.
func New(cfg *rest.Config, user func(name string) (*rest.Config, error)) (*Cluster, error) {
	client, err := NewClient(cfg)
	return &Cluster{Config: cfg, client: client, user: user}, err
}

// Client is a typed client that is independent of the provider, for setting live objects up and checking them.
func (c *Cluster) Client() Client { return c.client }
