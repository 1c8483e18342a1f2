package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
)

// requests is how many requests about single ConfigMaps the API server has answered since it started, by its own count.
func requests(ctx context.Context, client kubernetes.Interface) (int, error) {
	raw, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("asking the API server for its metrics: %w", err)
	}
	return countRequests(bytes.NewReader(raw))
}

// countRequests sums apiserver_request_total for ConfigMaps. Lists and watches are left out: the API server has some of
// its own.
func countRequests(metrics io.Reader) (int, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(metrics)
	if err != nil {
		return 0, err
	}
	family, ok := families["apiserver_request_total"]
	if !ok {
		return 0, fmt.Errorf("no apiserver_request_total among %d metrics", len(families))
	}
	total := 0.0
	for _, metric := range family.GetMetric() {
		labels := map[string]string{}
		for _, label := range metric.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		if labels["resource"] == "configmaps" && labels["verb"] != "LIST" && labels["verb"] != "WATCH" {
			total += metric.GetCounter().GetValue()
		}
	}
	return int(total), nil
}
